/** `npm run docs`: brings the generated parts of the documents up to date. */
import * as fs from "node:fs"
import { Option } from "effect"
import * as ConsoleRoutes from "./ConsoleRoutes.ts"
import * as DesignTokens from "./DesignTokens.ts"
import * as EffectApi from "./EffectApi.ts"
import * as WireTypes from "./WireTypes.ts"
import { blocks, written } from "./GeneratedBlocks.ts"

for (const block of blocks) {
  const file = new URL(`../../../${block.file}`, import.meta.url)
  const page = written(fs.readFileSync(file, "utf8"), block)
  if (Option.isNone(page))
    throw new Error(`${block.file} has no <!-- ${block.name} --> … <!-- /${block.name} -->`)
  fs.writeFileSync(file, page.value)
}

const at = (file: string) => new URL(`../../../${file}`, import.meta.url)
fs.writeFileSync(at(ConsoleRoutes.file), ConsoleRoutes.text())
fs.writeFileSync(at(DesignTokens.file), DesignTokens.text(fs.readFileSync(at(DesignTokens.source), "utf8")))
fs.writeFileSync(at(WireTypes.typeScriptFile), WireTypes.typeScriptText())
fs.writeFileSync(at(WireTypes.pythonFile), WireTypes.pythonText())
fs.writeFileSync(at(EffectApi.schemasFile), EffectApi.schemasText())
fs.writeFileSync(at(EffectApi.apiFile), EffectApi.apiText())
