// Work that is wished for often and done at a pace: at once, then not before it has rested longer than it took.

const LEAST = 300;
const RESTED = 4;

/** Return a function that does `work` soon; wishes that come meanwhile are done together. */
export function paced(work) {
  let running = false;
  let wished = false;
  return async function wish() {
    wished = true;
    if (running) return;
    running = true;
    while (wished) {
      wished = false;
      const began = performance.now();
      await work();
      await new Promise((resolve) => setTimeout(resolve, Math.max(LEAST, RESTED * (performance.now() - began))));
    }
    running = false;
  };
}
