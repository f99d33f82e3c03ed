/**
 * `urls.stream`: Replicate's client opens it without its token. So the URL has a credential of its own, the presented key sealed for
 * this prediction: it reads the output of this one, for an hour, and no longer than the key is valid.
 */
import { Effect, Result, Schema } from "effect"
import { KeyId } from "#domain/Ids.ts"
import type * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as MasterKey from "#src/kernel/secrets/MasterKey.ts"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Paths from "../Paths.ts"

const lifetimeMs = 3_600_000

/** When it expires, Unix time in ms on the clock of `SteadyTime`, and the key. */
const Credential = Schema.fromJsonString(Schema.Tuple([Schema.Int, KeyId, Schema.String]))
const encode = Schema.encodeSync(Credential)
const decode = Schema.decodeUnknownResult(Credential)

const refused = ErrorAnswer.coded(
  401,
  "STREAM_URL_INVALID",
  "The stream URL is not valid, or not any more: read the prediction for a new one."
)

export const make = Effect.gen(function* () {
  const { baseUrl } = yield* PublicUrls
  const authentication = yield* Authentication
  const steady = yield* SteadyTime
  const key = (yield* MasterKey.MasterKey).keyFor("stream urls of predictions")

  const url = (id: string, { keyId, secretHash }: ApiKey.Presented, now: number): string => {
    const text = encode([now + lifetimeMs, keyId, secretHash])
    const token = Sealing.seal({ key, context: id }, Buffer.from(text))
    return `${baseUrl}${Paths.root}/predictions/${id}/stream?token=${token}`
  }

  /** The key in a token, and its caller as of now. */
  const open = Effect.fnUntraced(function* (id: string, token: string) {
    const opened = Sealing.open({ key, context: id }, token)
    const credential = Result.flatMap(opened, (bytes) => decode(bytes.toString()))
    if (Result.isFailure(credential)) return yield* refused
    const [expiresAt, keyId, secretHash] = credential.success
    if ((yield* steady.now) >= expiresAt) return yield* refused
    const presented = { keyId, secretHash }
    const caller = yield* authentication
      .recognize(presented)
      .pipe(Effect.catchTag("Unauthorized", () => refused))
    return { presented, caller }
  })

  return { url, open }
})
