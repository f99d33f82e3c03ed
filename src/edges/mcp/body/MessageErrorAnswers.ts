/** Error answers to a message before it is parsed. They have no JSON-RPC id. */
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { longText, maxBytes, maxTextBytes, mostParts, ofItsOwn } from "./MessageLimits.ts"
import type { ScanError } from "./MessageScan.ts"

export const tooLarge = new ErrorAnswer.ErrorAnswer({
  status: 413,
  error: `A message must not exceed ${maxBytes} bytes, nor ${maxTextBytes} bytes without \`data\` of \`upload_file\`. Give \`upload_file\` a larger file by \`url\`, or upload it over REST.`
})

export const tooManyParts = new ErrorAnswer.ErrorAnswer({
  status: 413,
  error: `A message must not have more than ${mostParts} members and elements in all, nor more than ${ofItsOwn.parts} without \`input\` of \`run_model\`.`
})

export const tooLong = new ErrorAnswer.ErrorAnswer({
  status: 413,
  error: `A message must not have more than ${ofItsOwn.characters} characters without \`input\` of \`run_model\` and \`data\` of \`upload_file\`.`
})

export const notForTool = new ErrorAnswer.ErrorAnswer({
  status: 413,
  error: `Only \`upload_file\` takes \`data\` of more than ${longText} bytes: upload the file first, and name it by its URL.`
})

export const tooMany = new ErrorAnswer.ErrorAnswer({
  status: 503,
  error: "Too many long messages are in progress.",
  headers: { "retry-after": "5" }
})

export const givenTwice = ErrorAnswer.malformed("The request body has `data` twice.")

export const faults: Readonly<Record<ScanError | "not_utf8", ErrorAnswer.ErrorAnswer>> = {
  ...JsonBody.errorAnswers,
  too_many: tooManyParts
}
