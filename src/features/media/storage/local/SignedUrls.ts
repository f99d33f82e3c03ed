/**
 * Upload URLs (contract, "Uploads"): `{MEDIA_URL}/media/{id}/{name}?expires=…&signature=…`, for a part with `uploadId`
 * and `partNumber`. The signature covers everything that the PUT may do; the name is decoration.
 */
import * as crypto from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { FileId } from "#domain/Ids.ts"
import * as MediaUrl from "../../MediaUrl.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { UrlRefused } from "../Reception.ts"

/** A part of an upload. */
export interface PartOf {
  readonly uploadId: string
  readonly partNumber: number
}

/** What a URL allows. */
export interface Signed {
  readonly id: FileId
  /** As announced. */
  readonly contentType: string
  /** Bytes of the file, as announced. */
  readonly size: number | null
  /** `null` for a whole file. */
  readonly part: PartOf | null
}

/** The query of a URL, not yet verified. */
export interface Claim {
  readonly part: PartOf | null
  /** Unix time in seconds. */
  readonly expires: number
  readonly signature: string
}

export type Query = Readonly<Record<string, string | undefined>>

const notSigned = Effect.fail(new UrlRefused({ reason: "not_signed" }))

/** Only canonical digits, so that a number has one text. */
const wholeNumber = (text: string): number | null =>
  /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null

export const claimOf = (query: Query): Effect.Effect<Claim, UrlRefused> => {
  const { expires, partNumber, signature, uploadId } = query
  if (expires === undefined || signature === undefined) return notSigned
  const seconds = wholeNumber(expires)
  if (seconds === null) return notSigned
  if (uploadId === undefined && partNumber === undefined)
    return Effect.succeed({ part: null, expires: seconds, signature })
  const number = wholeNumber(partNumber ?? "")
  if (uploadId === undefined || number === null) return notSigned
  return Effect.succeed({ part: { uploadId, partNumber: number }, expires: seconds, signature })
}

export class SignedUrls extends Context.Service<
  SignedUrls,
  {
    /** @param expiresAt Unix time in ms, on the clock of `SteadyTime`; rounded to seconds. */
    url(allowed: Signed & { readonly fileName: string; readonly expiresAt: number }): string
    /**
     * Fails unless the claim is ours for this file and has not expired. Compares the signature in constant time.
     * @param now Unix time in ms, on the clock of `SteadyTime`.
     */
    verify(claim: Claim, file: Omit<Signed, "part">, now: number): Effect.Effect<void, UrlRefused>
  }
>()("inferlog/src/features/media/storage/local/SignedUrls") {
  static readonly layer = Layer.effect(
    SignedUrls,
    Effect.gen(function* () {
      const key = (yield* MasterKey).keyFor("upload urls")
      const { mediaUrl } = yield* PublicUrls

      /** As JSON, so that different PUTs have different texts. */
      const sign = ({
        contentType,
        expires,
        id,
        part,
        size
      }: Signed & { readonly expires: number }): Buffer =>
        crypto
          .createHmac("sha256", key)
          .update(
            JSON.stringify([
              "PUT",
              id,
              contentType,
              size,
              part?.uploadId ?? null,
              part?.partNumber ?? null,
              expires
            ])
          )
          .digest()

      const url: SignedUrls["Service"]["url"] = ({ expiresAt, fileName, ...signed }) => {
        const expires = Math.floor(expiresAt / 1_000)
        const query = new URLSearchParams({
          expires: `${expires}`,
          ...(signed.part !== null && {
            uploadId: signed.part.uploadId,
            partNumber: `${signed.part.partNumber}`
          }),
          signature: sign({ ...signed, expires }).toString("base64url")
        })
        return `${MediaUrl.formatUpload(mediaUrl, signed.id, fileName)}?${query.toString()}`
      }

      const verify: SignedUrls["Service"]["verify"] = (
        { expires, part, signature },
        { contentType, id, size },
        now
      ) => {
        const expected = Buffer.from(sign({ id, contentType, size, part, expires }).toString("base64url"))
        if (!SameBytes.isSame(Buffer.from(signature), expected))
          return Effect.fail(new UrlRefused({ reason: "signature_mismatch" }))
        return now < expires * 1_000 ? Effect.void : Effect.fail(new UrlRefused({ reason: "expired" }))
      }

      return SignedUrls.of({ url, verify })
    })
  )
}
