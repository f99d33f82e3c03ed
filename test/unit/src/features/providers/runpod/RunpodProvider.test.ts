import * as RunpodProvider from "#src/features/providers/runpod/RunpodProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as RunpodUpstream from "#test/support/upstreams/Runpod.ts"

providerContract("runpod", { upstream: RunpodUpstream.make, provider: RunpodProvider.make })
