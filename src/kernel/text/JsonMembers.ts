/** Where the members of a JSON object are in its bytes, so that a large one can be handed on without being parsed here. */
import * as JsonText from "#domain/JsonText.ts"

/** The value of a member is at `start` up to before `end`. `name` as it is written, with its quotes. */
type Visit = (name: Uint8Array, start: number, end: number) => void

/** Calls `visit` for each member. Returns false for a text that is no object. Values are not checked: parse them. */
export const visit = (bytes: Uint8Array, visit: Visit): boolean => {
  // One character for each byte. What JSON is made of is ASCII.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
  return JsonText.visitMembers(text, (nameStart, nameEnd, start, end) =>
    visit(bytes.subarray(nameStart, nameEnd), start, end)
  )
}

/** The name without its quotes and escapes; `null` for one that is longer than `longest` bytes, or not valid. */
export const nameOf = (written: Uint8Array, longest: number): string | null => {
  if (written.length > longest) return null
  try {
    const name: unknown = JSON.parse(Buffer.from(written).toString())
    return typeof name === "string" ? name : null
  } catch {
    return null
  }
}
