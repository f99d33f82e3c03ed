/**
 * Loads sharp and configures libvips once per process, before any worker: all threads share its settings, and a worker
 * that set them would briefly disable formats for others. The thread that loads this also keeps the native library
 * loaded when a worker ends.
 */
import sharp from "sharp"

// One thread per picture and no cache, because pictures do not repeat.
sharp.concurrency(1)
sharp.cache(false)
// libvips detects formats by content and would also read SVG and other formats that access files or run scripts.
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({
  operation: [
    "VipsForeignLoadPng",
    "VipsForeignLoadJpeg",
    "VipsForeignLoadWebp",
    "VipsForeignLoadNsgif",
    "VipsForeignLoadHeif",
    "VipsForeignLoadTiff"
  ]
})
