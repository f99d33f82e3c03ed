/** Undoes the most frequent changes that a body undergoes between the wire and the verifier. */
import { Option } from "effect"

export interface BodyChange {
  /** `It matches …` */
  readonly undone: string
  readonly body: Uint8Array
}

const latin1 = (body: Uint8Array) => Buffer.from(body).toString("latin1")
const bytes = (text: string) => Buffer.from(text, "latin1")

const withoutLastNewline = (body: Uint8Array) => bytes(latin1(body).replace(/\r?\n$/, ""))
const withLineFeeds = (body: Uint8Array) => bytes(latin1(body).replaceAll("\r\n", "\n"))
const withoutMark = (body: Uint8Array) => bytes(latin1(body).replace(/^\u00ef\u00bb\u00bf/, ""))

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const compact = (body: Uint8Array): Uint8Array =>
  Option.match(parseJson(Buffer.from(body).toString()), {
    onNone: () => body,
    onSome: (value) => Buffer.from(JSON.stringify(value))
  })

/** Without those that change nothing. `contentLength` is what the request says of its body. */
export const likely = (body: Uint8Array, contentLength: number | null): ReadonlyArray<BodyChange> => {
  const cut = contentLength !== null && contentLength < body.length ? body.subarray(0, contentLength) : body
  return [
    { undone: "without the newline at its end", body: withoutLastNewline(body) },
    { undone: "with LF for each CRLF", body: withLineFeeds(body) },
    {
      undone: "with LF for each CRLF and without the newline at its end",
      body: withoutLastNewline(withLineFeeds(body))
    },
    { undone: "without the byte order mark at its beginning", body: withoutMark(body) },
    { undone: "as compact JSON: it was parsed and written again", body: compact(body) },
    { undone: `when it ends after the ${contentLength} bytes of its content-length`, body: cut }
  ].filter((change) => !Buffer.from(change.body).equals(body))
}
