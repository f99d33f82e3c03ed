/** `DATA_DIR/release`: which format the data in the directory has, so that an older release refuses it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"

/** The file has other contents than a release writes. */
export class ReleaseFileDamaged extends Schema.TaggedError<ReleaseFileDamaged>()("ReleaseFileDamaged", {
  file: Schema.String
}) {
  override get message(): string {
    return (
      `DATA_DIR: ${this.file} is damaged or cannot be read: restore it, or remove it if no release newer than this one has ` +
      `written the directory`
    )
  }
}

/** The file cannot be written. */
export class ReleaseFileNotWritten extends Schema.TaggedError<ReleaseFileNotWritten>()(
  "ReleaseFileNotWritten",
  {
    file: Schema.String,
    cause: Schema.Defect()
  }
) {
  override get message(): string {
    return `DATA_DIR: ${this.file} cannot be written`
  }
}

const text = Schema.fromJsonString(DataFormat.DataRelease)
const decode = Schema.decodeEffect(text)
const encode = Schema.encodeEffect(text)

export const fileIn = (directory: string): string => path.join(directory, "release")

/** Release 0.1.0 wrote no such file. */
const absent: DataFormat.DataRelease = { format: 1, release: "0.1.0" }

/** What is noted in the directory. */
export const read = Effect.fnUntraced(function* (directory: string) {
  const file = fileIn(directory)
  const damaged = () => new ReleaseFileDamaged({ file })
  const found = yield* Effect.try({
    try: () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null),
    catch: damaged
  })
  return found === null ? absent : yield* Effect.mapError(decode(found), damaged)
})

/** Fails when a newer release has written what this one cannot read. Writes nothing. */
export const check = Effect.fn("ReleaseFile.check")(function* (directory: string) {
  yield* DataFormat.check("DATA_DIR", yield* read(directory))
})

/** Complete or not there after a crash. */
const write = (file: string, contents: string) => {
  const written = `${file}.new`
  const handle = fs.openSync(written, "w", 0o600)
  try {
    fs.writeSync(handle, contents)
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
  fs.renameSync(written, file)
}

/** Notes what has written the data in the directory. */
export const note = Effect.fn("ReleaseFile.note")(function* (
  directory: string,
  release: DataFormat.DataRelease
) {
  const file = fileIn(directory)
  const contents = yield* Effect.orDie(encode(release))
  yield* Effect.try({
    try: () => write(file, `${contents}\n`),
    catch: (cause) => new ReleaseFileNotWritten({ file, cause })
  })
})

/** Notes the format of this release before it writes anything else. Call it while the directory is locked. */
export const record = Effect.fn("ReleaseFile.record")(function* (directory: string) {
  const found = yield* read(directory)
  yield* DataFormat.check("DATA_DIR", found)
  if (found.format !== DataFormat.dataFormat) yield* note(directory, DataFormat.ours)
})
