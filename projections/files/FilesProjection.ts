/** All stored files with the state of `File`, and removed files whose bytes may not be removed yet. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import {
  BytesRemoved,
  DeletionReason,
  FileDeleted,
  FileExpired,
  OutputStored,
  UploadCompleted,
  UploadInitiated,
  UploadReplaced
} from "#domain/file/Event.ts"
import { namePayload } from "#domain/file/File.ts"
import { usualPurpose } from "#domain/file/State.ts"
import { idOf, type StreamName } from "#streams/StreamName.ts"
import * as KeySet from "../batch/KeySet.ts"
import { integer, integerOrNull, object, oneOf, text, textIfAny, textOrNull } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as FileCounters from "./FileCounters.ts"
import * as FileRows from "./FileRows.ts"
import { essenceOf } from "#domain/file/ContentType.ts"
import { kindOf } from "./FileTypes.ts"

/** Removed files, until their bytes are removed. */
const removalTable = `
  CREATE TABLE files_removals (file_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`

/** Files deleted for these reasons: the deleting process itself repeats the removal until it succeeds. */
const removedByOthers: ReadonlySet<string> = new Set<typeof DeletionReason.Type>([
  "request_erased",
  "discarded"
])

const methods = ["Single", "Multipart"] as const

const typeOf = (data: JsonObject) => {
  const contentType = text(data, "contentType")
  const essence = essenceOf(contentType)
  return { contentType, essence, kind: kindOf(essence) }
}

const storedIn = (data: JsonObject) => {
  const stored = object(data, "stored")
  return { size: integer(stored, "size"), sha256: textOrNull(stored, "sha256") }
}

const uploadOf = (data: JsonObject, time: number): FileRows.FileRow => {
  const name = object(object(data, "payloads"), namePayload)
  return {
    ...typeOf(data),
    accountId: text(data, "accountId"),
    source: "upload",
    requestId: null,
    fileName: null,
    nameRef: { hash: text(name, "hash"), size: integer(name, "size") },
    purpose: textIfAny(data, "purpose") ?? usualPurpose,
    createdAt: time,
    isSingle: oneOf(object(data, "method"), "_tag", methods) === "Single",
    status: "pending",
    size: integerOrNull(data, "size"),
    sha256: null,
    uploadedAt: null,
    expiresAt: integer(data, "expiresAt")
  }
}

const outputOf = (data: JsonObject, time: number): FileRows.FileRow => ({
  ...typeOf(data),
  ...storedIn(data),
  accountId: text(data, "accountId"),
  source: oneOf(data, "kind", OutputStored.fields.kind.literals),
  requestId: text(data, "requestId"),
  fileName: text(data, "fileName"),
  nameRef: null,
  purpose: usualPurpose,
  createdAt: time,
  isSingle: false,
  status: "uploaded",
  uploadedAt: time,
  expiresAt: integer(data, "expiresAt")
})

export const projection: Projection = {
  name: "files",
  version: 3,
  tables: FileRows.tables + FileCounters.tables + removalTable,
  open: (db) => {
    const rows = FileRows.make(db)
    const counters = FileCounters.make(db)
    const insertRemoval = db.prepare("INSERT OR IGNORE INTO files_removals VALUES (?)")
    const deleteRemoval = db.prepare("DELETE FROM files_removals WHERE file_id = ?")
    const removals = KeySet.make({
      insert: (id) => insertRemoval.run(id),
      remove: (id) => deleteRemoval.run(id)
    })

    const add = (stream: StreamName, row: FileRows.FileRow) => {
      rows.add(stream, row)
      counters.add(row)
    }

    /** Returns whether there was one. */
    const remove = (stream: StreamName): boolean => {
      const row = rows.remove(stream)
      if (row !== undefined) counters.remove(row)
      return row !== undefined
    }

    const receive = (stream: StreamName, data: JsonObject, time: number): FileRows.FileRow | undefined => {
      const { sha256, size } = storedIn(data)
      const row = rows.edit(stream)
      if (row === undefined) return undefined
      const before = FileCounters.bytesOf(row)
      row.status = "uploaded"
      row.size = size
      row.sha256 = sha256
      row.uploadedAt = time
      counters.resize(row, before)
      return row
    }

    const rules = [
      on(UploadInitiated, (data, { stream, time }) => add(stream, uploadOf(data, time))),
      on(UploadCompleted, (data, { stream, time }) => {
        const expiresAt = integer(data, "expiresAt")
        const row = receive(stream, data, time)
        if (row !== undefined) row.expiresAt = expiresAt
      }),
      on(UploadReplaced, (data, { stream, time }) => {
        receive(stream, data, time)
      }),
      on(OutputStored, (data, { stream, time }) => {
        const row = outputOf(data, time)
        remove(stream)
        add(stream, row)
      }),
      on(FileDeleted, (data, { stream }) => {
        const reason = oneOf(data, "reason", DeletionReason.literals)
        // A file that never existed has no bytes.
        if (remove(stream) && !removedByOthers.has(reason)) removals.add(idOf(stream))
      }),
      onType(FileExpired, ({ stream }) => {
        if (remove(stream)) removals.add(idOf(stream))
      }),
      onType(BytesRemoved, ({ stream }) => removals.remove(idOf(stream)))
    ]
    return { rules, buffers: [rows, counters, removals] }
  }
}
