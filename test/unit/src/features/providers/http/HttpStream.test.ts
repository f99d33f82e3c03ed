import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import { streamContract } from "#test/support/src/features/providers/contract/StreamContract.ts"
import * as HttpStream from "#test/support/upstreams/streams/Http.ts"

streamContract("http", { upstream: HttpStream.make, provider: HttpProvider.make })
