/** A file of JSON: one value. */
import * as JsonText from "./JsonText.ts"
import * as Located from "./Located.ts"
import * as ManifestDocument from "./ManifestDocument.ts"

export const parse = (text: string): ManifestDocument.Parsed => {
  const lines = Located.linesOf(text)
  try {
    return { documents: [ManifestDocument.make(JsonText.read(text), lines)], faults: [] }
  } catch (cause) {
    return { documents: [], faults: [ManifestDocument.faultOf(cause, lines)] }
  }
}
