import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import { providerContract } from "#test/support/src/features/providers/contract/ProviderContract.ts"
import * as HttpUpstream from "#test/support/upstreams/Http.ts"

for (const way of ["answers", "polled", "calls"] as const) {
  providerContract(`http, ${way},`, { upstream: HttpUpstream.make(way), provider: HttpProvider.make })
}
