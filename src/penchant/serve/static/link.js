// The link that the page was opened with: its fragment in; the name and the token out. No request carries it.

export function openedLink() {
  const fields = new URLSearchParams(location.hash.slice(1));
  return { judge: fields.get("judge") ?? "", token: fields.get("token") ?? "" };
}

// A new fragment in the same tab is another link: begin again with it.
addEventListener("hashchange", () => location.reload());
