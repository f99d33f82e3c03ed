import * as CogProvider from "#src/features/providers/cog/CogProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as CogUpstream from "#test/support/upstreams/Cog.ts"

providerContract("cog", { upstream: CogUpstream.make, provider: CogProvider.make })
