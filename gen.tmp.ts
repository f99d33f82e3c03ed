import * as fs from "node:fs"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as TypeScriptModels from "#src/edges/codegen/TypeScriptModels.ts"
import * as PythonModels from "#src/edges/codegen/PythonModels.ts"
const models = BuiltinCatalog.builtinModels.map(({ model: m }) => ({ modelEndpoint: m.endpoint, description: m.description, isDeprecated: false, stream: m.output?.stream ?? null, input: m.inputSchema, output: m.outputSchema }))
const source = { url: "http://127.0.0.1:8080", version: "0.1.0", models }
fs.writeFileSync("/dev/shm/models.ts", TypeScriptModels.text(source))
fs.writeFileSync("/dev/shm/models.py", PythonModels.text(source))
