/** Formats stored files for output. */
import * as Output from "#src/cli/Output.ts"
import * as Bytes from "./Bytes.ts"
import type * as Wire from "./Wire.ts"

const size = ({ size }: Wire.File): string => (size === null ? "-" : Bytes.format(size))

export const table = (files: ReadonlyArray<Wire.File>): string =>
  Output.table(
    ["FILE", "NAME", "TYPE", "SIZE", "STATUS", "SOURCE", "CREATED", "EXPIRES"],
    files.map((file) => [
      file.id,
      file.fileName,
      file.contentType,
      size(file),
      file.status,
      file.source,
      file.createdAt,
      file.expiresAt ?? "-"
    ])
  )

export const facts = (file: Wire.File): string => {
  const rows: ReadonlyArray<readonly [string, string | null]> = [
    ["name", file.fileName],
    ["url", file.url],
    ["type", file.contentType],
    ["size", file.size === null ? null : `${Output.count(file.size)} bytes`],
    ["status", file.status],
    ["source", file.source],
    ["request", file.requestId],
    ["sha256", file.checksums.sha256],
    ["created", file.createdAt],
    ["uploaded", file.uploadedAt],
    ["expires", file.expiresAt]
  ]
  return Output.table(
    ["file", file.id],
    rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  )
}
