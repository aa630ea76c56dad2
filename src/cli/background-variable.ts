// The variable that tells a started `liza run` that it is the background one. Apart, because every command looks for it.

export const BACKGROUND = 'LIZA_BACKGROUND';
