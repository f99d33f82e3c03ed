/** The entry of `@inferlog/react`. */
export { InferlogProvider, type InferlogProviderProps, useInferlog } from "./Provider.ts"
export { type RequestOptions, type RequestState, type UseRequest, useRequest } from "./Request.ts"
export { type StreamState, type UseStream, useStream } from "./Stream.ts"
export { type UploadState, type UseUpload, useUpload } from "./Upload.ts"
