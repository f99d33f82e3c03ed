/** Checkpoints as files in a folder. Each is written under another name first, synced, and renamed. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option, Schema } from "effect"
import { syncDirectory } from "#streams/DirectorySync.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { mostHeader } from "./Checkpoint.ts"
import { CheckpointKind } from "./CheckpointKind.ts"

export class CheckpointUnwritten extends Schema.TaggedError<CheckpointUnwritten>()("CheckpointUnwritten", {
  folder: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `A checkpoint cannot be written to ${this.folder}`
  }
}

export interface CheckpointFile {
  readonly name: string
  readonly kind: CheckpointKind
  readonly position: GlobalPosition.GlobalPosition
}

/** Newer ones replace older ones. */
const keep = 4

const form = /^(verify|audit)-(\d{1,19}(?:\.\d{1,9})?)\.checkpoint$/
const draftEnding = ".new"

export const folderIn = (dataDirectory: string): string => path.join(dataDirectory, "checkpoints")

export const nameOf = (kind: CheckpointKind, position: GlobalPosition.GlobalPosition): string =>
  `${kind}-${position}.checkpoint`

const asKind = Schema.decodeUnknownOption(CheckpointKind)

/** `undefined` for the name of another file. */
export const parseName = (name: string): CheckpointFile | undefined => {
  const [, kind, position = ""] = form.exec(name) ?? []
  return Option.getOrUndefined(
    Option.map(
      Option.all([asKind(kind), GlobalPosition.GlobalPosition.makeOption(position)]),
      ([kind, position]) => ({ name, kind, position })
    )
  )
}

/** Newest first. Empty when the folder does not exist or cannot be read. */
export const list = (folder: string): ReadonlyArray<CheckpointFile> => {
  try {
    return fs
      .readdirSync(folder)
      .flatMap((name) => parseName(name) ?? [])
      .sort((a, b) => GlobalPosition.order(b.position, a.position))
  } catch {
    return []
  }
}

/** The first bytes of a file. `null` when it cannot be read. */
export const readHeader = (folder: string, name: string): Buffer | null => {
  try {
    const file = fs.openSync(path.join(folder, name), "r")
    try {
      const bytes = Buffer.alloc(mostHeader)
      return bytes.subarray(0, fs.readSync(file, bytes, 0, mostHeader, 0))
    } finally {
      fs.closeSync(file)
    }
  } catch {
    return null
  }
}

/** All of a file. `null` when it cannot be read. */
export const read = (folder: string, name: string): Buffer | null => {
  try {
    return fs.readFileSync(path.join(folder, name))
  } catch {
    return null
  }
}

/** How much older than a new file a draft is that a crash left, ms. */
const draftAge = 3_600_000

/** Removes the oldest of a kind, and what crashes left, after `written` was written. Files of another log may have higher positions. */
const prune = (folder: string, written: CheckpointFile): void => {
  const old = list(folder)
    .filter(({ kind }) => kind === written.kind)
    .slice(keep)
    .filter(({ name }) => name !== written.name)
  for (const { name } of old) fs.rmSync(path.join(folder, name), { force: true })
  const { mtimeMs } = fs.statSync(path.join(folder, written.name))
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(draftEnding))) {
    const draft = path.join(folder, name)
    const stat = fs.statSync(draft, { throwIfNoEntry: false })
    if (stat !== undefined && stat.mtimeMs < mtimeMs - draftAge) fs.rmSync(draft, { force: true })
  }
}

/** Creates the folder, but not the one that it is in. Durable when it returns. */
export const write = (
  folder: string,
  file: CheckpointFile,
  bytes: Buffer
): Effect.Effect<void, CheckpointUnwritten> =>
  Effect.try({
    try: () => {
      if (!fs.existsSync(folder)) {
        fs.mkdirSync(folder, { mode: 0o700 })
        syncDirectory(path.dirname(folder))
      }
      const draft = path.join(folder, `${file.name}.${process.pid}${draftEnding}`)
      fs.writeFileSync(draft, bytes, { mode: 0o600, flush: true })
      fs.renameSync(draft, path.join(folder, file.name))
      syncDirectory(folder)
      prune(folder, file)
    },
    catch: (cause) => new CheckpointUnwritten({ folder, cause })
  })
