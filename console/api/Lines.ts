/** Answers of lines of JSON, as long proofs and exports send them. */
import { send, type Sending } from "./Client.ts"

/** Reads the lines as they come. Aborting `signal` ends the work at the server too. */
export async function* lines(path: string, sending: Sending = {}): AsyncGenerator<unknown, void, void> {
  const { body } = await send(path, sending)
  if (body === null) return
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) if (part !== "") yield JSON.parse(part)
  }
  if (rest.trim() !== "") yield JSON.parse(rest)
}
