/** Reports, in one short line, the step that takes time now. */
export type Progress = (message: string) => void;
