/** Bytes that depend on their position, so that a misplaced chunk is detected. */
export const pattern = (length: number, seed = 0): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(length)
  for (let index = 0; index < length; index++) bytes[index] = index * 31 + (index >> 8) + (index >> 16) + seed
  return bytes
}
