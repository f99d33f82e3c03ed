/** OpenAI's clients, unchanged, against one server over a fake vLLM. */
import { afterAll, beforeAll } from "@effect/vitest"
import { aiSdk } from "./AiSdk.ts"
import { endings } from "./Endings.ts"
import { files } from "./Files.ts"
import { langChain } from "./LangChain.ts"
import { openaiNode } from "./OpenaiNode.ts"
import { pythonWire } from "./PythonWire.ts"
import { responses } from "./Responses.ts"
import * as Served from "./Served.ts"

let served: Served.Served

beforeAll(async () => {
  served = await Served.start()
}, 60_000)
afterAll(() => served.stop())

openaiNode(() => served)
responses(() => served)
files(() => served)
aiSdk(() => served)
langChain(() => served)
pythonWire(() => served)
// The last test stops the server.
endings(() => served)
