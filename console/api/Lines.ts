/** Answers of lines of JSON, as long proofs and exports send them. */
import { send, type Sending } from "./Client.ts"

/** The texts of the lines as they come. Aborting `signal` ends the work at the server too. */
export async function* lineTexts(path: string, sending: Sending = {}): AsyncGenerator<string, void, void> {
  const { body } = await send(path, sending)
  if (body === null) return
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) if (part !== "") yield part
  }
  if (rest.trim() !== "") yield rest
}

/** The lines as they come. Aborting `signal` ends the work at the server too. */
export async function* lines(path: string, sending: Sending = {}): AsyncGenerator<unknown, void, void> {
  for await (const text of lineTexts(path, sending)) yield JSON.parse(text)
}
