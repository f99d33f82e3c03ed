import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { blobStoreContract } from "#test/streams/BlobStoreContract.ts"

blobStoreContract("memory", MemoryBlobStore.layer)
