import * as ReplicateProvider from "#src/features/providers/replicate/ReplicateProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as Replicate from "#test/support/upstreams/Replicate.ts"

providerContract("replicate", { upstream: Replicate.make, provider: ReplicateProvider.make })
