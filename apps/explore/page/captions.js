// The view Captions: the image with the attention of each word over it.

/// The image of a reply as an element.
function image_of(translation, text) {
  return element("img", {class: "source-image", src: "data:image/png;base64," + translation.image.png, alt: text});
}

async function show_captions(parent) {
  const {translation} = state;
  const pictures = choice_of_pictures(translation).all.filter(({kind}) => kind === "source");
  if (pictures.length === 0)
    return show_in(parent, image_of(translation, "The image"), element("p", {}, "This model has no attention."));
  const chosen = pictures.find((picture) => picture.name === state.picture) ?? pictures[0];
  const select = picture_choice("caption picture", pictures, chosen, (picture) => change({picture}));
  const figures = translation.hypotheses[0].tokens.map(({token, probability}) => ({
    canvas: element("canvas"), token, probability}));
  show_in(parent,
    element("p", {id: "translation"}, translation.hypotheses[0].text), element("p", {}, select),
    element("p", {class: "faint"}, "Each word attends to the bright places. In each image, the brightest place is its " +
            "largest weight."),
    element("div", {class: "caption-images"}, figures.map(({canvas, token, probability}) =>
      element("figure", {}, canvas, element("figcaption", {}, visible(token), " ",
        element("small", {}, percent(probability)))))));
  const image = image_of(translation, "");
  await image.decode();
  figures.forEach(({canvas}, i) => draw_over_image(canvas, image, row_of(chosen.matrix(), i), translation.image));
}

/// Draws the image, and over it the weights of one word: the darker a place, the smaller its weight. The weights are
/// those of rectangles; between their centres they are interpolated.
function draw_over_image(canvas, image, weights, {rows, columns}) {
  const scale = Math.max(1, Math.floor(192 / image.naturalWidth));
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const shade = element("canvas", {width: columns, height: rows});
  const pixels = shade.getContext("2d").createImageData(columns, rows);
  const largest = Math.max(...weights) || 1;
  weights.forEach((weight, i) => { pixels.data[4 * i + 3] = 215 * (1 - weight / largest); });
  shade.getContext("2d").putImageData(pixels, 0, 0);
  context.imageSmoothingQuality = "high";
  context.drawImage(shade, 0, 0, canvas.width, canvas.height);
}
