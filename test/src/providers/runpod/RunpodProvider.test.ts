import * as RunpodProvider from "#src/providers/runpod/RunpodProvider.ts"
import { providerContract } from "#test/src/providers/contract/ProviderContract.ts"
import * as RunpodUpstream from "#test/support/upstreams/Runpod.ts"

providerContract("runpod", { upstream: RunpodUpstream.make, provider: RunpodProvider.make })
