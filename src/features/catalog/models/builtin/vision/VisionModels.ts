import type { BuiltinModel } from "../BuiltinModel.ts"
import { media } from "../sandbox/Media.ts"
import { blurhash } from "./Blurhash.ts"
import { convert } from "./Convert.ts"
import { ocr } from "./Ocr.ts"
import { resize } from "./Resize.ts"

/** The models that run in worker threads: all of `vision/*`, and the sandbox model that makes a picture. */
export const visionModels: ReadonlyArray<BuiltinModel> = [resize, convert, blurhash, ocr, media]
