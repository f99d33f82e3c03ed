/** Plain curl: a generic client. */
import * as childProcess from "node:child_process"
import { Effect } from "effect"

export interface Reply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Buffer
  readonly text: string
}

const headEnd = "\r\n\r\n"

/** The last answer that curl printed: earlier ones were interim answers or followed redirects. */
const parse = (printed: Buffer): Reply => {
  const end = printed.indexOf(headEnd)
  if (end === -1) throw new Error(`curl printed no answer: ${printed.toString()}`)
  const [statusLine = "", ...lines] = printed.subarray(0, end).toString().split("\r\n")
  const bytes = printed.subarray(end + headEnd.length)
  if (bytes.subarray(0, 5).toString() === "HTTP/") return parse(bytes)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
  )
  return { status: Number(statusLine.split(" ")[1]), headers, bytes, text: bytes.toString() }
}

/** Runs it to its end. Its output is the answer, except with `--output`. */
export const curl = (...args: ReadonlyArray<string>): Effect.Effect<Reply> =>
  Effect.callback<Reply>((resume) => {
    const child = childProcess.spawn("curl", ["--silent", "--show-error", "--include", ...args], {
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const printed: Array<Buffer> = []
    const complaints: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => printed.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk))
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("close", (code) =>
      resume(
        code === 0
          ? Effect.sync(() => parse(Buffer.concat(printed)))
          : Effect.die(new Error(`curl ended with ${code}: ${Buffer.concat(complaints).toString()}`))
      )
    )
    return Effect.sync(() => child.kill())
  })
