/** The policies of the console's page (CSP 3): scripts and styles are files of the console, and nothing else is loaded from elsewhere. */
import { Effect } from "effect"
import { blobStore } from "#src/platform/blobs/BlobStorage.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"

const policy = (mediaSources: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${mediaSources}`,
    `media-src 'self' blob: ${mediaSources}`,
    // Uploads go to presigned URLs.
    `connect-src 'self' ${mediaSources}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; ")

/**
 * A file must be allowed by both policies. This one leaves, of what this server sends, the files of the console: no uploaded script runs.
 * A source with a path needs a host, which a proxy may rename, so it names all of them. The other policy leaves this server.
 *
 * @param publicPath of the console; its `;` and `,` would end the source.
 */
const ownFiles = (publicPath: string): string => {
  const files = `*:*${publicPath.replaceAll(/[;,]/g, encodeURIComponent)}/assets/`
  return `script-src ${files}; style-src ${files}`
}

/** The bucket is in the path of URLs, or in the name of the host. */
const originsOf = ({ bucket, endpoint, publicEndpoint }: S3Options): ReadonlyArray<string> => {
  const address = publicEndpoint ?? endpoint
  if (address === null) return ["https://*.amazonaws.com"]
  const { host, protocol } = new URL(address)
  return [`${protocol}//${host}`, `${protocol}//${bucket}.${host}`]
}

/**
 * With the origins of stored files: `MEDIA_URL`, and that of a bucket, to which uploads and redirected downloads go.
 *
 * @param publicPath of the console as browsers see it, such as `/console`.
 */
export const make = Effect.fnUntraced(function* (publicPath: string) {
  const { mediaUrl } = yield* PublicUrls
  const store = yield* blobStore.config
  const origins = [new URL(mediaUrl).origin]
  if (store._tag === "S3") origins.push(...originsOf(store.options))
  return `${policy([...new Set(origins)].join(" "))}, ${ownFiles(publicPath)}`
})
