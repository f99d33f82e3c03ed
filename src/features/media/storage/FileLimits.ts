/** How large files and their parts may be, and for how long they are waited for (contract, "Limits"; decisions, "Upload errors"). */
import { Duration } from "effect"

const MiB = 1024 * 1024
const GiB = 1024 * MiB

/** Bytes of a file that comes in one PUT, and of a part. */
export const maxPutBytes = 5 * GiB

/** Bytes of every part but the last. */
export const minPartBytes = 5 * MiB

export const maxParts = 10_000

/** Bytes of a file that comes in parts. S3 takes less. */
export const maxFileBytes = maxParts * maxPutBytes

/** How long a presigned URL is good for. */
export const urlLifetime = Duration.hours(1)

/**
 * How long after its announcement a PUT to a presigned URL may still come: one that began just before the URL's end takes its
 * time.
 */
export const putWindow = Duration.sum(urlLifetime, Duration.hours(1))

/** How long parts are kept that no file was made of. */
export const partsLifetime = Duration.days(7)
