/** Keys as the API lists them. */
import type { AnswerOf } from "#console/api/Types.ts"

export type ApiKey = AnswerOf<"listKeys">["data"][number]
export type IssuedKey = AnswerOf<"createKey">
export type RotatedKey = AnswerOf<"rotateKey">

/** @param now Unix time in ms. */
export const stateOf = ({ expiresAt, revokedAt }: ApiKey, now: number): "valid" | "revoked" | "expired" => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "valid"
}

/** Every scope, with what it allows. */
export const scopes = [
  ["requests:write", "Submit, cancel and erase requests"],
  ["requests:read", "See requests and their results"],
  ["files:write", "Upload and delete files"],
  ["files:read", "See files"],
  ["webhooks:write", "Send webhooks again, rotate their secret"],
  ["webhooks:read", "See webhooks and their secret"],
  ["billing:read", "See balance, usage and costs"],
  ["keys:admin", "Create, rotate and revoke keys"]
] as const

export type ScopeName = (typeof scopes)[number][0]
