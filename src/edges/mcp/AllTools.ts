/** The thirteen tools (contract, "Assistant-tool server"), in the listed order. */
import { Layer } from "effect"
import * as CatalogTools from "./tools/CatalogTools.ts"
import * as FileTools from "./tools/FileTools.ts"
import * as RequestTools from "./tools/RequestTools.ts"

export const layer = Layer.mergeAll(CatalogTools.layer, RequestTools.layer, FileTools.layer)
