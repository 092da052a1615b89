import koffi from 'koffi'

/** Files of tests follow each other in one process, to which the names of native types belong: each declares them anew. */
export const forgetNativeTypes = (): void => koffi.reset()
