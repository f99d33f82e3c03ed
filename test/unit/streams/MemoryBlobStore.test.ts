import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { blobStoreContract } from "#test/support/streams/BlobStoreContract.ts"

blobStoreContract("memory", MemoryBlobStore.layer)
