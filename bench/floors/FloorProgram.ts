/** Runs a server as a separate program: prints `{"port":N}` on stdout and ends with its stdin. */
import type { Server } from "node:http"

export const serve = (server: Server): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("expected a port")
    process.stdout.write(`${JSON.stringify({ port: address.port })}\n`)
  })
  process.stdin.resume().on("end", () => process.exit())
}
