/**
 * The address of an upload in parts, which fal's client calls without a key: `{MEDIA_URL}/compat/fal/uploads/{uploadKey}?…`. Each
 * part and the end of the upload have a path below it. The signature covers the account, for which the address acts.
 */
import * as crypto from "node:crypto"
import { Duration, Effect } from "effect"
import { AccountId } from "#domain/Ids.ts"
import type { Named } from "#src/features/files/Uploads.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as FileErrorAnswers from "#src/edges/http/FileErrorAnswers.ts"
import * as Paths from "../Paths.ts"

/** All parts are sent one after the other under one address. */
const lifetime = Duration.days(1)

/** The query of an address. */
export interface Query {
  readonly account: string
  readonly uploadId: string
  /** Unix time in seconds. */
  readonly expires: string
  readonly signature: string
}

export const make = Effect.gen(function* () {
  const key = (yield* MasterKey).keyFor("upload addresses of fal's client")
  const { mediaUrl } = yield* PublicUrls
  const steady = yield* SteadyTime

  const sign = (uploadKey: string, { account, expires, uploadId }: Omit<Query, "signature">): string =>
    crypto
      .createHmac("sha256", key)
      .update(JSON.stringify([uploadKey, uploadId, account, expires]))
      .digest("base64url")

  const issue = Effect.fnUntraced(function* ({ caller, uploadId, uploadKey }: Named) {
    const expiresAt = (yield* steady.now) + Duration.toMillis(lifetime)
    const claims = { account: caller.accountId, uploadId, expires: String(Math.floor(expiresAt / 1_000)) }
    const query = new URLSearchParams({ ...claims, signature: sign(uploadKey, claims) })
    return `${mediaUrl}${Paths.uploads}/${uploadKey}?${query.toString()}`
  })

  /** The upload that the address was issued for. */
  const open = Effect.fnUntraced(function* (uploadKey: string, query: Query) {
    const expected = Buffer.from(sign(uploadKey, query))
    if (!SameBytes.isSame(Buffer.from(query.signature), expected)) {
      return yield* FileErrorAnswers.signatureMismatch
    }
    if ((yield* steady.now) >= Number(query.expires) * 1_000) return yield* FileErrorAnswers.urlExpired
    const named: Named = {
      caller: { accountId: AccountId.make(query.account) },
      uploadKey,
      uploadId: query.uploadId
    }
    return named
  })

  return { issue, open }
})
