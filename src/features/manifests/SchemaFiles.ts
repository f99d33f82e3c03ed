/** `inputSchema: { $file: ./flux.input.json }`: a JSON Schema in a separate file, within the manifest's folder. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import { isObject, type JsonObject } from "#domain/CanonicalJson.ts"
import * as Documents from "./Documents.ts"
import * as FileText from "./FileText.ts"
import { type Breach, type Manifest } from "./Manifest.ts"
import * as ManifestFiles from "./ManifestFiles.ts"
import type { Path } from "./Diagnostic.ts"

interface Inlined {
  readonly manifest: Manifest
  readonly breaches: ReadonlyArray<Breach>
  /** Named schema files are not manifests. */
  readonly referenced: ReadonlyArray<string>
}

interface Read {
  readonly schema: JsonObject
  readonly message: string | null
  readonly referenced: string | null
}

const load = Effect.fnUntraced(function* (file: ManifestFiles.FoundFile, schema: JsonObject) {
  const named = schema["$file"]
  const refuse = (message: string, referenced: string | null = null): Read => ({
    schema,
    message,
    referenced
  })
  if (typeof named !== "string" || !ManifestFiles.isManifestName(named) || Object.keys(schema).length > 1) {
    return refuse("Expected { $file: … } with the path of a .json, .yaml or .yml file, and nothing else")
  }
  const target = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => fs.realpath(path.resolve(path.dirname(file.path), named))),
    () => null
  )
  if (target === null) return refuse("There is no such file")
  if (!ManifestFiles.isInside(file.root, target))
    return refuse("Expected a file inside the folder of the manifests")
  const text = yield* Effect.result(FileText.read(target))
  if (text._tag === "Failure") return refuse(text.failure, target)
  const { documents, errors } = Documents.parse(target, text.success)
  const [fault] = errors
  if (fault !== undefined) {
    const { column, line } = fault.place
    return refuse(`${fault.message} at line ${line}, column ${column} of the file`, target)
  }
  const value = documents[0]?.value
  if (value === undefined || documents.length > 1 || !isObject(value)) {
    return refuse("Expected a file with one JSON Schema that is an object", target)
  }
  return { schema: value, message: null, referenced: target }
})

const asIs = (schema: JsonObject): Effect.Effect<Read> =>
  Effect.succeed({ schema, message: null, referenced: null })

const breachAt = (at: Path, { message }: Read): ReadonlyArray<Breach> =>
  message === null ? [] : [{ path: at, message }]

/** The manifest with the contents of its schema files. */
export const inline = Effect.fnUntraced(function* (file: ManifestFiles.FoundFile, manifest: Manifest) {
  const unchanged: Inlined = { manifest, breaches: [], referenced: [] }
  if (manifest.kind !== "model" && manifest.kind !== "wrapper") return unchanged
  const read = (schema: JsonObject) => ("$file" in schema ? load(file, schema) : asIs(schema))
  const input = yield* read(manifest.inputSchema)
  const output = manifest.kind === "model" ? yield* read(manifest.outputSchema) : null
  const referenced = [input.referenced, output?.referenced ?? null].filter((target) => target !== null)
  const breaches = [
    ...breachAt(["inputSchema", "$file"], input),
    ...(output === null ? [] : breachAt(["outputSchema", "$file"], output))
  ]
  const inlined =
    manifest.kind === "model"
      ? { ...manifest, inputSchema: input.schema, outputSchema: output?.schema ?? manifest.outputSchema }
      : { ...manifest, inputSchema: input.schema }
  return { manifest: inlined, breaches, referenced } satisfies Inlined
})
