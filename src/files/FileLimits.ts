/** How large files and their parts may be, and for how long they are waited for (contract, "Limits"; decisions, "Upload errors"). */
import { Duration } from "effect"

const MiB = 1024 * 1024
const GiB = 1024 * MiB

/** Bytes of a file that comes in one PUT, and of a part. */
export const maxPutBytes = 5 * GiB

/** Bytes of every part but the last. */
export const minPartBytes = 5 * MiB

export const maxParts = 10_000

/** Bytes of a file that comes in parts: what S3 takes, which is less than so many parts of that size. */
export const maxFileBytes = 5 * 1024 * GiB

/** How long a presigned URL is good for. */
export const urlLifetime = Duration.hours(1)

/** How long parts are kept that no file was made of. */
export const partsLifetime = Duration.days(7)
