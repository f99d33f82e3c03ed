/** Manifests that are valid by themselves, with their places in the files; `Checks` compares them. */
import { isObject } from "#domain/CanonicalJson.ts"
import { Effect } from "effect"
import * as Documents from "./Documents.ts"
import * as FileText from "./FileText.ts"
import { decode, type Manifest } from "./Manifest.ts"
import type { ManifestDocument } from "./ManifestDocument.ts"
import type * as ManifestFiles from "./ManifestFiles.ts"
import { type Path, pathText, type Diagnostic } from "./Diagnostic.ts"
import * as SchemaFiles from "./SchemaFiles.ts"

export interface Draft {
  readonly file: string
  readonly manifest: Manifest
  /** A diagnostic at a path of the document. */
  diagnostic(severity: Diagnostic["severity"], path: Path, message: string): Diagnostic
}

export interface Drafts {
  /** In the order of the files, and of the documents within a file. */
  readonly drafts: ReadonlyArray<Draft>
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** Documents with a definition, valid or not. */
  readonly found: number
  /** Models and wrappers with a manifest, valid or not. */
  readonly broken: ReadonlySet<string>
}

interface OfFile extends Drafts {
  readonly file: ManifestFiles.FoundFile
  readonly referenced: ReadonlyArray<string>
}

const problemIn =
  (file: string, { placeOf }: ManifestDocument): Draft["diagnostic"] =>
  (severity, path, message) => ({ severity, file, ...placeOf(path), path: pathText(path), message })

/** A JSON Schema file, beside the manifests that name it. */
const isJsonSchema = ({ value }: ManifestDocument): boolean =>
  isObject(value) && "$schema" in value && !("kind" in value)

const nameOf = ({ value }: ManifestDocument): ReadonlyArray<string> =>
  isObject(value) && typeof value["name"] === "string" ? [value["name"]] : []

const readFile = Effect.fnUntraced(function* (file: ManifestFiles.FoundFile) {
  const drafts: Array<Draft> = []
  const diagnostics: Array<Diagnostic> = []
  const referenced: Array<string> = []
  const broken: Array<string> = []
  const result = (found: number): OfFile => ({
    file,
    drafts,
    diagnostics,
    referenced,
    found,
    broken: new Set(broken)
  })

  const text = yield* Effect.result(FileText.read(file.path))
  if (text._tag === "Failure") {
    diagnostics.push({
      severity: "error",
      file: file.name,
      line: 1,
      column: 1,
      path: "",
      message: text.failure
    })
    return result(1)
  }
  const { documents, errors } = Documents.parse(file.path, text.success)
  for (const { message, path, place } of errors) {
    diagnostics.push({ severity: "error", file: file.name, ...place, path: pathText(path), message })
  }
  for (const document of documents) {
    if (isJsonSchema(document)) continue
    const diagnostic = problemIn(file.name, document)
    const decoded = decode(document.value)
    const breaches =
      decoded._tag === "Failure"
        ? decoded.failure
        : yield* Effect.map(SchemaFiles.inline(file, decoded.success), (inlined) => {
            referenced.push(...inlined.referenced)
            if (inlined.breaches.length === 0) {
              drafts.push({ file: file.name, manifest: inlined.manifest, diagnostic })
            }
            return inlined.breaches
          })
    if (breaches.length > 0) broken.push(...nameOf(document))
    diagnostics.push(...breaches.map(({ message, path }) => diagnostic("error", path, message)))
  }
  return result(documents.length + errors.length)
})

const together = (all: ReadonlyArray<OfFile>): Drafts => {
  const schemas = new Set(all.flatMap(({ referenced }) => referenced))
  const manifests = all.filter(({ file }) => !schemas.has(file.path))
  return {
    drafts: manifests.flatMap(({ drafts }) => drafts),
    diagnostics: manifests.flatMap(({ diagnostics }) => diagnostics),
    found: manifests.reduce((sum, { found }) => sum + found, 0),
    broken: new Set(manifests.flatMap(({ broken }) => [...broken]))
  }
}

type Read = (files: ReadonlyArray<ManifestFiles.FoundFile>) => Effect.Effect<Drafts>

/** For a folder that is read repeatedly: unchanged valid files are not read again and keep their draft objects. */
export const reader = (): Read => {
  let before: ReadonlyMap<string, OfFile> = new Map()
  let stamps: ReadonlyMap<string, string> = new Map()
  return Effect.fnUntraced(function* (files: ReadonlyArray<ManifestFiles.FoundFile>) {
    const now = new Map(files.map(({ path, stamp }) => [path, stamp]))
    const isSame = (path: string) => now.has(path) && now.get(path) === stamps.get(path)
    const readAgain = (file: ManifestFiles.FoundFile) => {
      const known = before.get(file.name)
      const isGood = known !== undefined && known.diagnostics.length === 0
      return isGood && known.file.path === file.path && [file.path, ...known.referenced].every(isSame)
        ? Effect.succeed(known)
        : readFile(file)
    }
    const all = yield* Effect.forEach(files, readAgain, { concurrency: 8 })
    before = new Map(all.map((one) => [one.file.name, one]))
    stamps = now
    return together(all)
  })
}

/** Never fails: unreadable files are diagnostics. */
export const read: Read = (files) => reader()(files)
