/** A folder of manifests on disk, and the result of reading it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigProvider, Effect } from "effect"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import * as Checks from "#src/features/manifests/Checks.ts"
import * as Drafts from "#src/features/manifests/Drafts.ts"
import * as ManifestFiles from "#src/features/manifests/ManifestFiles.ts"
import { type Diagnostic, text } from "#src/features/manifests/Diagnostic.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

export type Files = Readonly<Record<string, string>>

export const write = (folder: string, files: Files): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}

const builtIn = Effect.runSync(Effect.cached(BuiltinItems.known))

/** In a separate folder, with only `env` in the environment. */
export const check = Effect.fnUntraced(function* (files: Files, env: Record<string, string> = {}) {
  const folder = yield* TempDirectory.make
  write(folder, files)
  const known = yield* builtIn
  const drafts = yield* Drafts.read(yield* ManifestFiles.find(folder))
  const checked = yield* Checks.check(drafts, known).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )
  const line = (diagnostic: Diagnostic) =>
    `${diagnostic.severity === "warning" ? "warning " : ""}${text({ ...diagnostic, file: path.relative(folder, diagnostic.file) })}`
  return { ...checked, lines: checked.diagnostics.map(line), names: checked.items.map(({ name }) => name) }
})

/** A valid manifest. */
export const model = (name: string, more = ""): string => `kind: model
name: ${name}
displayName: Test
description: For tests.
category: utility
provider: { adapter: http, url: "http://10.0.0.5:9000" }
pricing: { unit: request, unitPrice: "0.001" }
inputSchema: { type: object, properties: { text: { type: string } } }
outputSchema: { type: object }
exampleInput: { text: Hello }
${more}`

export const wrapper = (name: string, base: string, more = ""): string => `kind: wrapper
name: ${name}
displayName: Test
description: For tests.
category: utility
base: ${base}
template: { text: "Dear {{who}}" }
inputSchema: { type: object, properties: { who: { type: string } }, required: [who] }
exampleInput: { who: Ada }
${more}`
