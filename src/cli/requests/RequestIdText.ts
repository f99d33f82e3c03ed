/** A request id as an argument. A malformed id is wrong usage, not an unknown request. */
import { RequestId } from "#domain/Ids.ts"

export const parse = (text: string) => RequestId.makeOption(text)

export const expected = (): string => "Expected a request id: 21 letters, digits, hyphens or underscores"
