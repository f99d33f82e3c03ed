/** OpenAI's clients, unchanged, against one server over a fake vLLM. */
import { afterAll, beforeAll } from "@effect/vitest"
import { aiSdkOpenai } from "#test/support/src/edges/openai/AiSdkOpenai.ts"
import { aiSdk } from "#test/support/src/edges/openai/AiSdk.ts"
import { endings } from "#test/support/src/edges/openai/Endings.ts"
import { files } from "#test/support/src/edges/openai/Files.ts"
import { langChain } from "#test/support/src/edges/openai/LangChain.ts"
import { openaiNode } from "#test/support/src/edges/openai/OpenaiNode.ts"
import { pythonWire } from "#test/support/src/edges/openai/PythonWire.ts"
import { responses } from "#test/support/src/edges/openai/Responses.ts"
import { versions } from "#test/support/src/edges/openai/Versions.ts"
import * as Served from "#test/support/src/edges/openai/Served.ts"

let served: Served.Served

beforeAll(async () => {
  served = await Served.start()
}, 60_000)
afterAll(() => served.stop())

openaiNode(() => served)
responses(() => served)
files(() => served)
aiSdk(() => served)
aiSdkOpenai(() => served)
versions(() => served)
langChain(() => served)
pythonWire(() => served)
// The last test stops the server.
endings(() => served)
