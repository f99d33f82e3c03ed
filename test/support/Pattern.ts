/** Bytes that differ along the way, so that a chunk out of place shows. */
export const pattern = (length: number, seed = 0): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(length)
  for (let index = 0; index < length; index++) bytes[index] = index * 31 + (index >> 8) + (index >> 16) + seed
  return bytes
}
