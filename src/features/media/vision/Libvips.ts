/**
 * Loads sharp and sets libvips up, once a process and before there are workers: all threads share its settings. A worker
 * that set them for itself took the formats from the others for a moment, and their pictures were unreadable then. The
 * thread that loads this holds the native library, too: without one it would be unloaded under others when a worker ends.
 */
import sharp from "sharp"

// One thread for one picture, and nothing kept: pictures do not come twice.
sharp.concurrency(1)
sharp.cache(false)
// libvips looks at the content by itself and would also read SVG and other formats that reach for files and scripts.
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
