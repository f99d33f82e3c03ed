import * as KserveProvider from "#src/features/providers/kserve/KserveProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as KserveUpstream from "#test/support/upstreams/Kserve.ts"

providerContract("kserve", { upstream: KserveUpstream.make, provider: KserveProvider.make })
