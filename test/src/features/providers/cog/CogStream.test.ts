import * as CogProvider from "#src/features/providers/cog/CogProvider.ts"
import { streamContract } from "#test/src/features/providers/contract/StreamContract.ts"
import * as CogStream from "#test/support/upstreams/streams/Cog.ts"

streamContract("cog", { upstream: CogStream.make, provider: CogProvider.make })
