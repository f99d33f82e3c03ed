/** Invalid HTTP answers, over a decrypted connection. */
import type { TLSSocket } from "node:tls"

/** Sends `head`, then `part` every 5 ms while the connection lives. */
export const dripping = (head: string, part: string) => (socket: TLSSocket) => {
  socket.write(head)
  const timer = setInterval(() => socket.write(part), 5)
  socket.on("close", () => clearInterval(timer))
}

/** Sends `head`, then `part` as fast as the connection takes it. */
export const flooding = (head: string, part: Buffer) => (socket: TLSSocket) => {
  socket.write(head)
  const pour = () => {
    while (!socket.destroyed && socket.write(part));
  }
  socket.on("drain", pour)
  pour()
}

/** The head of a response up to its headers. */
export const ok = "HTTP/1.1 200 OK\r\n"
