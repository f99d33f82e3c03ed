/** Sizes and times of uploads (contract, "Limits"; decisions, "Upload errors"). */
import { Duration } from "effect"

const MiB = 1024 * 1024
const GiB = 1024 * MiB

/** Bytes of a PUT: a whole file or a part. */
export const maxPutBytes = 5 * GiB

/** Bytes of every part but the last. */
export const minPartBytes = 5 * MiB

export const maxParts = 10_000

/** Bytes of a multipart file. S3 accepts less. */
export const maxFileBytes = maxParts * maxPutBytes

/** Validity of a presigned URL. */
export const urlLifetime = Duration.hours(1)

/** How long after its announcement a PUT may still arrive, including one that began just before the URL expired. */
export const putWindow = Duration.sum(urlLifetime, Duration.hours(1))

/** How long parts without a file are kept. */
export const partsLifetime = Duration.days(7)
