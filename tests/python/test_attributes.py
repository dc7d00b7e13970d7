# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The ranges that say what the op of a module takes."""
import gc
import json
import unittest
import weakref

from support import AnnotatedTest, prof_torch, torch
from prof_torch.attributes import Attributes
from torch import nn

SETTINGS = {
    "stride": "1,1",
    "padding": "0,0",
    "dilation": "1,1",
    "output_padding": "0,0",
    "groups": 1,
    "transposed": False,
    "data_grad": True,
    "weight_grad": True,
    "bias_grad": False,
}


class AttributesOfOps(AnnotatedTest):
    def setUp(self):
        super().setUp()
        prof_torch.start(steps="off")

    def told(self):
        """What was said since the last call: (ops, attributes) of each range."""
        texts = [
            json.loads(line.strip())
            for line in self.listing().splitlines()
            if line.strip().startswith("{")
        ]
        for text in texts:
            self.assertEqual((text["v"], text["mod"]), (1, "prof"))
        return [(text["attrs_of"], text["attrs"]) for text in texts]

    def test_a_convolution_says_what_its_result_depends_on(self):
        nn.Conv2d(stride=(2, 1), padding=(3, 3))(nn.Tensor(requires_grad=False))
        self.assertEqual(
            self.told(),
            [("conv2d convolution", dict(SETTINGS, stride="2,1", padding="3,3", data_grad=False))],
        )

    def test_the_range_is_inside_that_of_the_layer(self):
        nn.Sequential(nn.Conv2d(), nn.ReLU())(nn.Tensor())
        lines = self.listing().splitlines()
        self.assertEqual(lines[:2], ["Sequential", "  0"])
        self.assertTrue(lines[2].startswith("    {"))
        self.assertEqual(lines[3:], ["  1"])

    def test_it_ends_with_an_exception_too(self):
        class Fails(nn.ReLU):
            def forward(self, x):
                raise KeyError(x)

        module = nn.Conv2d()
        module.hook = Fails()
        original, nn.Conv2d._conv_forward = nn.Conv2d._conv_forward, lambda self, x: self.hook(x)
        self.addCleanup(setattr, nn.Conv2d, "_conv_forward", original)
        with self.assertRaises(KeyError):
            module(nn.Tensor())
        self.assertEqual(len(self.told()), 1)

    def test_classes_are_known_as_long_as_they_live(self):
        class Custom(nn.Conv2d):
            pass

        attributes = Attributes(nn)
        self.assertIsNotNone(attributes.text_of(Custom(), (nn.Tensor(),), {}))
        self.assertEqual(1, len(attributes.kinds))
        kind = weakref.ref(Custom)
        del Custom
        gc.collect()
        self.assertIsNone(kind())
        self.assertEqual({}, attributes.kinds)

    def test_settings_are_read_at_each_call(self):
        conv = nn.Conv2d()
        conv(nn.Tensor())
        conv.stride = (4, 4)
        conv(nn.Tensor())
        self.assertEqual([attributes["stride"] for _, attributes in self.told()], ["1,1", "4,4"])

    def test_padding_that_is_done_before_the_op_is_not_the_ops(self):
        nn.Conv2d(padding=(1, 1), padding_mode="circular")(nn.Tensor())
        nn.Conv2d(padding="same")(nn.Tensor())
        self.assertEqual([attributes["padding"] for _, attributes in self.told()], [0, "same"])

    def test_gradients_that_cannot_be_seen_are_left_out(self):
        conv = nn.Conv2d()
        del conv._parameters["weight"]
        conv(3)
        self.assertEqual(
            {k: v for k, v in self.told()[0][1].items() if k.endswith("_grad")},
            {"bias_grad": False},
        )

    def test_pooling(self):
        nn.MaxPool2d([3, 2])(nn.Tensor())
        nn.AdaptiveAvgPool2d((7, None))(nn.Tensor())
        nn.AdaptiveAvgPool2d(1)(nn.Tensor())
        told = self.told()
        self.assertEqual(
            told[0],
            (
                "max_pool2d",
                {
                    "kernel_size": "3,2",
                    "stride": "3,2",
                    "padding": 0,
                    "dilation": 1,
                    "ceil_mode": False,
                },
            ),
        )
        self.assertEqual(told[1:], [("adaptive_avg_pool2d", {"output_size": 1})])

    def test_upsampling(self):
        nn.Upsample(scale_factor=1.5)(nn.Tensor())
        nn.Upsample(size=(9, 7))(nn.Tensor())
        nn.Upsample(scale_factor=(2.0, 3.0))(nn.Tensor())  # nothing to be said
        self.assertEqual(
            self.told(), [("interpolate", {"scale_factor": 1.5}), ("interpolate", {"size": "9,7"})]
        )

    def test_a_class_with_a_forward_of_its_own_says_nothing(self):
        class Padded(nn.Conv2d):
            def forward(self, x):
                return self._conv_forward(x)

        class Named(nn.Conv2d):
            pass

        replaced = nn.Conv2d()
        replaced.forward = lambda x: x
        for module in (Padded(), replaced):
            module(nn.Tensor())
            self.assertEqual(self.told(), [])
        Named()(nn.Tensor())
        self.assertEqual(self.told(), [("conv2d convolution", SETTINGS)])

    def test_other_arguments_say_nothing(self):
        class Pool(nn.MaxPool2d):
            pass

        Pool(2)(x=nn.Tensor())
        self.assertEqual(self.told(), [])

    def test_odd_settings_do_not_end_the_program(self):
        for odd in (None, "many", object(), [object()], (2.5,), float("nan")):
            conv = nn.Conv2d(stride=odd)
            self.assertEqual(conv(5), 5)
            self.listing()
        conv = nn.Conv2d()
        del conv.__dict__["groups"]
        self.assertEqual(conv(5), 5)

    def test_nothing_is_said_of_ops_without_ranges(self):
        for options in ({"ops": False}, {"record_shapes": False}):
            prof_torch.stop()
            prof_torch.start(steps="off", **options)
            nn.Conv2d()(nn.Tensor())
            self.assertNotIn("attrs_of", self.listing())


if __name__ == "__main__":
    unittest.main()
