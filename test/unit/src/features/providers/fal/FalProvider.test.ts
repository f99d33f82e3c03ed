import * as FalProvider from "#src/features/providers/fal/FalProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as FalUpstream from "#test/support/upstreams/Fal.ts"

providerContract("fal", { upstream: FalUpstream.make, provider: FalProvider.make })
