/**
 * Tokens that a page may hold: `tok_<keyId>.<claims>.<mac>`, claims as JSON in base64url. Nothing is stored for a token. Its
 * MAC is keyed by the master key and the hash of the secret of its key, so it is valid as long as that secret is.
 */
import * as crypto from "node:crypto"
import { Option, Schema } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { Origin } from "#domain/account/Origin.ts"
import { type AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"

/** The purpose for which the key of the MAC is derived. */
export const purpose = "tokens of keys"

/** The longest life of a token, ms. */
export const longestMs = 60 * 60 * 1_000

/** How far the clocks of two nodes may differ, ms. A token that would live longer than `longestMs` and this is refused. */
const mostSkewMs = 5 * 60 * 1_000

/** One-letter names keep tokens short. They are a format: tokens of the release before are presented to this one. */
const Claims = Schema.Struct({
  /** Of the token, or of its user. Requests that it submits carry it. */
  id: Schema.String,
  /** When it ends, Unix time in ms. */
  expiresAt: Schema.Int,
  /** The models that it submits to or reads requests of. `null`: those of its key. */
  models: Schema.NullOr(Schema.Array(ModelEndpoint)),
  /** The only request that it opens. */
  request: Schema.NullOr(RequestId),
  isReadOnly: Schema.Boolean,
  origins: Schema.NullOr(Schema.Array(Origin))
}).pipe(
  Schema.encodeKeys({
    id: "i",
    expiresAt: "e",
    models: "m",
    request: "r",
    isReadOnly: "o",
    origins: "w"
  })
)
export type Claims = typeof Claims.Type

const ClaimsText = Schema.fromJsonString(Claims)
const encode = Schema.encodeSync(ClaimsText)
const decode = Schema.decodeUnknownOption(ClaimsText)

/** A token from a request. */
export interface Presented {
  readonly keyId: KeyId
  readonly claims: string
  readonly mac: Buffer
}

const form = /^tok_([A-Za-z0-9._-]{1,64})\.([A-Za-z0-9_-]{1,7500})\.([A-Za-z0-9_-]{43})$/

/** `null` if the text is not a token. */
export const present = (text: string): Presented | null => {
  const [, keyId, claims, mac = ""] = form.exec(text) ?? []
  if (keyId === undefined || claims === undefined) return null
  return { keyId: KeyId.make(keyId), claims, mac: Buffer.from(mac, "base64url") }
}

/** What the MAC covers, beside the hash of the secret. */
export const signedOf = ({ claims, keyId }: Pick<Presented, "keyId" | "claims">): string =>
  `${keyId}.${claims}`

/** @param secretHash of the secret of the key, in hex, so all have one length. */
const macOf = (masterKey: Uint8Array, secretHash: string, signed: string): Buffer =>
  crypto.createHmac("sha256", masterKey).update(`${secretHash}${signed}`).digest()

const idBytes = 12

/** 96 random bits. */
export const makeId = (): string => crypto.randomBytes(idBytes).toString("base64url")

/** The same for all tokens of a user. On the log it does not reveal the name. */
export const idOfUser = (masterKey: Uint8Array, accountId: AccountId, user: string): string =>
  crypto
    .createHmac("sha256", masterKey)
    .update(`user of ${accountId}\n${user}`)
    .digest()
    .subarray(0, idBytes)
    .toString("base64url")

export const sign = (
  masterKey: Uint8Array,
  key: { readonly keyId: KeyId; readonly secretHash: string },
  claims: Claims
): string => {
  const text = Buffer.from(encode(claims)).toString("base64url")
  const signed = signedOf({ keyId: key.keyId, claims: text })
  return `tok_${signed}.${macOf(masterKey, key.secretHash, signed).toString("base64url")}`
}

/** Whether it was signed for the key while it had this secret. Constant time in the MAC. */
export const matches = (masterKey: Uint8Array, presented: Presented, secretHash: string): boolean =>
  crypto.timingSafeEqual(macOf(masterKey, secretHash, signedOf(presented)), presented.mac)

/** Of a token whose MAC matches; `null` if this release does not know their form. */
export const claimsOf = ({ claims }: Presented): Claims | null =>
  Option.getOrNull(decode(Buffer.from(claims, "base64url").toString()))

/** @param now Unix time in ms. */
export const isCurrent = ({ expiresAt }: Claims, now: number): boolean =>
  expiresAt > now && expiresAt <= now + longestMs + mostSkewMs

/** What a token may do: what it names, and at most what its key may. */
export const grantOf = (
  { expiresAt, isReadOnly, models, origins }: Claims,
  ofKey: Grant.Grant
): Grant.Grant => ({
  scopes: ofKey.scopes.filter(
    (scope) => scope === "requests:read" || (scope === "requests:write" && !isReadOnly)
  ),
  modelEndpoints:
    models === null ? ofKey.modelEndpoints : models.filter((model) => Grant.allowsModel(ofKey, model)),
  monthlyBudget: ofKey.monthlyBudget,
  expiresAt,
  origins
})
