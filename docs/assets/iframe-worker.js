// Search from a disk: browsers start no worker from file:// pages, so a hidden frame runs its script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      const document_ = inside.document
      document_.open()
      document_.write("<!doctype html><body></body>")
      document_.close()
      // The frame is where the worker's script looks for what a worker has.
      inside.postMessage_ = inside.postMessage.bind(inside)
      inside.postMessage = (data) => {
        this.dispatchEvent(new MessageEvent("message", { data }))
        if (this.onmessage) this.onmessage(new MessageEvent("message", { data }))
      }
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, script) => before.then(() => this.load(script)), Promise.resolve())
      this.ready = this.load(new URL(address, location.href).href)
    }
    load(address) {
      return new Promise((loaded, failed) => {
        const script = this.frame.contentDocument.createElement("script")
        script.src = address
        script.onload = loaded
        script.onerror = failed
        this.frame.contentDocument.body.append(script)
      })
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.postMessage_(data, "*"))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
