/** Which calls and requests are open to the tokens of a key (docs, "Browsers"). */
import type { RequestId } from "#domain/Ids.ts"
import type * as Token from "./Token.ts"

/**
 * What a route is to tokens. Only routes that say so take tokens at all.
 * `submit`: for tokens that name models. `request`: of one request. `reads`: other reads, for tokens that only read.
 */
export type TokenUse = "none" | "submit" | "request" | "reads"

/** The part of the claims that decides. */
export type CallerToken = Pick<Token.Claims, "id" | "request" | "isReadOnly">

export const allowsCall = ({ isReadOnly, request }: CallerToken, use: TokenUse): boolean => {
  switch (use) {
    case "none":
      return false
    case "submit":
      return request === null && !isReadOnly
    case "request":
      return true
    case "reads":
      return request === null && isReadOnly
  }
}

/**
 * Whether a token opens a request of its account and models: the one that it names; a token that submits, those that it or
 * another token of its user has submitted; a token that only reads, all.
 */
export const allowsRequest = (
  { id, isReadOnly, request }: CallerToken,
  asked: { readonly id: RequestId; readonly submittedBy: string | undefined }
): boolean => {
  if (request !== null) return asked.id === request
  return isReadOnly || asked.submittedBy === id
}
