import * as OpenaiProvider from "#src/features/providers/openai/OpenaiProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as Openai from "#test/support/upstreams/Openai.ts"

providerContract("openai, chat", { upstream: Openai.make("chat"), provider: OpenaiProvider.make })
providerContract("openai, completions", {
  upstream: Openai.make("completions"),
  provider: OpenaiProvider.make
})
